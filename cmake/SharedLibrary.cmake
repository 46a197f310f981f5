# The shared library of library/include/brushwork/brushwork.h.
add_library(brushwork_shared SHARED $<TARGET_OBJECTS:libbrushwork>)
target_link_libraries(brushwork_shared PRIVATE verbs)
# The symbols of a sanitizer are those of the program that loads the library.
target_link_options(brushwork_shared PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/library/brushwork.map
  $<$<NOT:$<BOOL:${BRUSHWORK_SANITIZE}>>:-Wl,--no-undefined>)
set_target_properties(brushwork_shared PROPERTIES OUTPUT_NAME brushwork
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/library/brushwork.map
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
