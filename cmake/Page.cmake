# The page of `brushwork view`: the files of view/page, joined and compiled into the program as
# view_page_html, view_page_style and view_page_script (view/page_files.h). The scripts share one
# scope, so their order matters only for what runs when they load: main.js is the last.
file(GLOB page_scripts CONFIGURE_DEPENDS view/page/*.js)
list(FILTER page_scripts EXCLUDE REGEX "/main\\.js$")
list(SORT page_scripts)
list(APPEND page_scripts ${PROJECT_SOURCE_DIR}/view/page/main.js)
set(page_files ${PROJECT_SOURCE_DIR}/view/page/page.html ${PROJECT_SOURCE_DIR}/view/page/page.css
  ${page_scripts})
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/page_files.c
  COMMAND ${CMAKE_COMMAND} "-DFILES=${page_files}" -DOUT=${CMAKE_BINARY_DIR}/page_files.c
    -P ${PROJECT_SOURCE_DIR}/cmake/PageFiles.cmake
  DEPENDS ${page_files} cmake/PageFiles.cmake VERBATIM)
target_sources(view PRIVATE ${CMAKE_BINARY_DIR}/page_files.c)
