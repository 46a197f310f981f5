# CPack reads this before it makes packages: what libbrushwork0 depends on. CPack's own
# SHLIBDEPS would also make it call ldconfig, which the trigger is for.
if(CPACK_GENERATOR STREQUAL "DEB")
  # dpkg-shlibdeps wants to be where a debian/control is.
  file(WRITE ${CPACK_BRUSHWORK_SHLIBDEPS_DIR}/debian/control "")
  execute_process(COMMAND dpkg-shlibdeps -O ${CPACK_BRUSHWORK_LIBRARY}
    WORKING_DIRECTORY ${CPACK_BRUSHWORK_SHLIBDEPS_DIR}
    OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "shlibs:Depends=" "" CPACK_DEBIAN_LIBBRUSHWORK0_PACKAGE_DEPENDS "${depends}")
endif()
