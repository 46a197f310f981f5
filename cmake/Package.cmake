# Packages, by CPack: a .deb (BRUSHWORK_DEBIAN), and an archive that runs where it is unpacked
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
  file(STRINGS cmake/debian/description description)
  list(POP_FRONT description CPACK_PACKAGE_DESCRIPTION_SUMMARY)
  list(TRANSFORM description REPLACE "^ " "")
  list(JOIN description "\n" CPACK_DEBIAN_PACKAGE_DESCRIPTION)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
  set(CPACK_DEBIAN_PACKAGE_VERSION ${debian_version})
  set(CPACK_DEBIAN_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  configure_file(cmake/debian/changelog.in ${CMAKE_BINARY_DIR}/debian/changelog @ONLY)
  brushwork_compressed(changelog ${CMAKE_BINARY_DIR}/debian/changelog)
  add_custom_target(debian ALL DEPENDS ${changelog})
  install(FILES ${changelog} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
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
