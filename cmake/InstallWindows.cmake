# What `cmake --install` installs for Windows, which scripts/windows makes an archive of: the programs, the
# pages, what Hammer needs, and the licences of the libraries that are parts of the programs.
file(WRITE ${CMAKE_BINARY_DIR}/version.txt "${BRUSHWORK_VERSION}\n")
install(TARGETS vbsp vvis vrad brushwork q3map2 RUNTIME DESTINATION bin)
install(FILES LICENSE README.md SECURITY.md CHANGELOG.md CONTRIBUTING.md DESTINATION .)
install(DIRECTORY docs DESTINATION .
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.jpg" PATTERN "*.json")
install(DIRECTORY maps DESTINATION .
  FILES_MATCHING PATTERN "*.vmf" PATTERN "*.vmm" PATTERN "*.map" PATTERN "*.rad")
install(DIRECTORY integrations/hammer/windows DESTINATION integrations/hammer)
install(DIRECTORY ${BRUSHWORK_WINDOWS_LIBRARIES}/licences DESTINATION .)
