# What `cmake --install` installs, by component: programs, man, completions, docs, schemas,
# integrations, library, development, python, mpi, http. cmake/Package.cmake says which of them a .deb
# has.
include(GNUInstallDirs)
set(BRUSHWORK_BASH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING
  "Folder of the completions of bash, below the prefix")
set(zsh_functions site-functions)
if(BRUSHWORK_DEBIAN)
  set(zsh_functions vendor-completions)
endif()
set(BRUSHWORK_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_functions} CACHE STRING
  "Folder of the completions of zsh, below the prefix")
set(BRUSHWORK_FISH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING
  "Folder of the completions of fish, below the prefix")

# <name of a variable> <file>...: the files with .gz; a second run gives the same bytes.
function(brushwork_compressed result)
  set(compressed)
  foreach(file ${ARGN})
    add_custom_command(OUTPUT ${file}.gz COMMAND gzip -9nkf ${file} DEPENDS ${file} VERBATIM)
    list(APPEND compressed ${file}.gz)
  endforeach()
  set(${result} ${compressed} PARENT_SCOPE)
endfunction()

if(BRUSHWORK_DEBIAN)
  brushwork_compressed(man_pages ${man_pages})
  add_custom_target(compressed ALL DEPENDS ${man_pages})
endif()

# The programs find the libraries that are beside them, and these each other.
if(BRUSHWORK_BUNDLE)
  set_target_properties(vbsp vvis vrad brushwork q3map2 PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  foreach(program vbsp vvis vrad brushwork q3map2)
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
  set_target_properties(brushwork_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
  target_link_options(brushwork_shared PRIVATE -Wl,--disable-new-dtags)
endif()

install(TARGETS vbsp vvis vrad brushwork q3map2
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT man)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/bash/
  DESTINATION ${BRUSHWORK_BASH_COMPLETIONS} COMPONENT completions)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/zsh/
  DESTINATION ${BRUSHWORK_ZSH_COMPLETIONS} COMPONENT completions)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/fish/
  DESTINATION ${BRUSHWORK_FISH_COMPLETIONS} COMPONENT completions)

# Modules, where programs and the library look for them (common/core/module.h).
foreach(module mpi http serve)
  if(TARGET module_${module})
    install(TARGETS module_${module}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/brushwork COMPONENT ${module})
  endif()
endforeach()

# Pages that link to each other, and the maps that they name.
set(licences LICENSE cmake/debian/copyright)
set(library_examples ${CMAKE_INSTALL_DOCDIR}/examples/library)
if(BRUSHWORK_DEBIAN)
  set(licences)
  set(library_examples ${CMAKE_INSTALL_DATADIR}/doc/libbrushwork-dev/examples)
endif()
install(FILES README.md SECURITY.md CHANGELOG.md CONTRIBUTING.md ${licences}
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.jpg" PATTERN "*.json")
install(DIRECTORY maps DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT docs
  FILES_MATCHING PATTERN "*.vmf" PATTERN "*.vmm" PATTERN "*.map" PATTERN "*.rad")
# The map that ./compile draws is with its content, and what draws it.
install(DIRECTORY maps/courtyard DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/maps COMPONENT docs
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "make" PATTERN "gameinfo.txt" PATTERN "*.py" PATTERN "*.vmt" PATTERN "*.vtf"
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY examples/make examples/ninja examples/pages examples/project examples/slurm examples/kubernetes
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT docs USE_SOURCE_PERMISSIONS)
# For programs that read JSON; the pages may be left out by an installation.
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/brushwork COMPONENT schemas)

# Files that editors and other systems read, and scripts that they start.
install(DIRECTORY integrations DESTINATION ${CMAKE_INSTALL_DATADIR}/brushwork
  COMPONENT integrations
  REGEX "/(brushwork-lint|brushwork-windows|ci/pages|ci/review|hammer/v[a-z]+)$" PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# What other programs build with and run on; the Python module finds the library by its name.
if(TARGET brushwork_shared)
  set(BRUSHWORK_PYTHON_DIR lib/python3/dist-packages CACHE STRING
    "Folder of Python modules, below the prefix")
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY / OUTPUT_VARIABLE library_dir)
  file(RELATIVE_PATH BRUSHWORK_PC_PREFIX ${library_dir}/pkgconfig /)
  configure_file(library/brushwork.pc.in ${CMAKE_BINARY_DIR}/brushwork.pc @ONLY)
  install(TARGETS brushwork_shared
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
  install(FILES library/include/brushwork/brushwork.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brushwork COMPONENT development)
  install(FILES ${CMAKE_BINARY_DIR}/brushwork.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  install(FILES examples/library/lights.c DESTINATION ${library_examples} COMPONENT development)
  file(GLOB python_sources CONFIGURE_DEPENDS library/python/brushwork/*.py)
  install(FILES ${python_sources} DESTINATION ${BRUSHWORK_PYTHON_DIR}/brushwork COMPONENT python)
endif()
