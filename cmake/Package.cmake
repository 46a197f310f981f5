# Packages, by CPack: .debs (BRUSHWORK_DEBIAN), and an archive that runs where it is unpacked
# (BRUSHWORK_BUNDLE). scripts/package makes both, each in a Debian of its own. Dates are those of
# SOURCE_DATE_EPOCH.
set(CPACK_PACKAGE_NAME brushwork)
set(CPACK_PACKAGE_VERSION ${BRUSHWORK_VERSION})
set(CPACK_PACKAGE_VENDOR "Brushwork developers")
set(CPACK_PACKAGE_CONTACT "Brushwork developers <noreply@brushwork.invalid>")
set(CPACK_PACKAGE_FILE_NAME brushwork-${BRUSHWORK_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)

if(BRUSHWORK_DEBIAN)
  set(CPACK_GENERATOR DEB)
  file(STRINGS /etc/os-release debian_release REGEX "^VERSION_(ID|CODENAME)=")
  string(REGEX REPLACE ".*VERSION_ID=\"?([0-9]+).*" "\\1" debian_number "${debian_release}")
  string(REGEX REPLACE ".*VERSION_CODENAME=\"?([a-z]+).*" "\\1" debian_codename "${debian_release}")
  # What comes before a release sorts before it. Without a hyphen: there is no other packager.
  string(REPLACE "-" "~" debian_version "${BRUSHWORK_VERSION}+deb${debian_number}")
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
  set(CPACK_DEBIAN_PACKAGE_VERSION ${debian_version})
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  configure_file(cmake/debian/changelog.in ${CMAKE_BINARY_DIR}/debian/changelog @ONLY)
  brushwork_compressed(changelog ${CMAKE_BINARY_DIR}/debian/changelog)
  add_custom_target(debian ALL DEPENDS ${changelog})

  # A .deb with these components. cmake/debian/<package> has its description, and the files of its
  # control archive. <component> is one of them that gets the copyright.
  macro(brushwork_deb package section component)
    string(TOUPPER ${package} key)
    foreach(part ${component} ${ARGN})
      string(TOUPPER ${part} part)
      set(CPACK_COMPONENT_${part}_GROUP ${package})
    endforeach()
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
    if(NOT ${package} STREQUAL CPACK_PACKAGE_NAME)
      set(CPACK_DEBIAN_${key}_PACKAGE_SOURCE ${CPACK_PACKAGE_NAME})
    endif()
    set(folder ${PROJECT_SOURCE_DIR}/cmake/debian/${package})
    file(READ ${folder}/description description)
    string(STRIP "${description}" CPACK_DEBIAN_${key}_DESCRIPTION)
    file(GLOB CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA CONFIGURE_DEPENDS ${folder}/*)
    list(REMOVE_ITEM CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${folder}/description)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/description)
    install(FILES ${changelog} cmake/debian/copyright
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  endmacro()

  brushwork_deb(brushwork utils programs man completions docs schemas integrations)
  set(CPACK_DEBIAN_BRUSHWORK_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_BRUSHWORK_PACKAGE_SUGGESTS "python3-brushwork, brushwork-mpi, brushwork-http")
  if(TARGET module_http)
    brushwork_deb(brushwork-http utils http)
    set(CPACK_DEBIAN_BRUSHWORK-HTTP_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_BRUSHWORK-HTTP_PACKAGE_DEPENDS "brushwork (= ${debian_version})")
  endif()
  if(TARGET module_mpi)
    brushwork_deb(brushwork-mpi utils mpi)
    set(CPACK_DEBIAN_BRUSHWORK-MPI_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_BRUSHWORK-MPI_PACKAGE_DEPENDS "brushwork (= ${debian_version})")
    set(CPACK_DEBIAN_BRUSHWORK-MPI_PACKAGE_RECOMMENDS openmpi-bin)
  endif()
  if(TARGET brushwork_shared)
    set(same_library "libbrushwork0 (= ${debian_version})")
    brushwork_deb(libbrushwork0 libs library)
    set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/debian/library_depends.cmake)
    set(CPACK_BRUSHWORK_LIBRARY ${CMAKE_BINARY_DIR}/lib/libbrushwork.so)
    set(CPACK_BRUSHWORK_SHLIBDEPS_DIR ${CMAKE_BINARY_DIR}/debian/shlibdeps)
    brushwork_deb(libbrushwork-dev libdevel development)
    set(CPACK_DEBIAN_LIBBRUSHWORK-DEV_PACKAGE_DEPENDS "${same_library}")
    brushwork_deb(python3-brushwork python python)
    set(CPACK_DEBIAN_PYTHON3-BRUSHWORK_PACKAGE_DEPENDS "python3, ${same_library}")
    set(CPACK_DEBIAN_PYTHON3-BRUSHWORK_PACKAGE_ARCHITECTURE all)
  endif()
endif()

# The libraries that not every system with glibc has, beside the programs.
if(BRUSHWORK_BUNDLE)
  install(CODE "execute_process(
    COMMAND \"${PROJECT_SOURCE_DIR}/scripts/bundle_libraries\" \"${CMAKE_BINARY_DIR}/bin\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/libraries\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT libraries)
endif()

include(CPack)
