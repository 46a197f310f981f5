# What pages are made of, compiled into the programs. Of `brushwork view`: the files of view/page, joined as
# view_page_html, view_page_style and view_page_script (view/page_files.h); the scripts share one
# scope, so their order matters only for what runs when they load: main.js is the last. Of
# `brushwork report`: report/page/report.css (report/page_files.h).
function(brushwork_page module)
  set(out ${CMAKE_BINARY_DIR}/${module}_page_files.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DOUT=${out} -DPAGE=${module}
      -P ${PROJECT_SOURCE_DIR}/cmake/PageFiles.cmake
    DEPENDS ${ARGN} cmake/PageFiles.cmake VERBATIM)
  target_sources(${module} PRIVATE ${out})
endfunction()

file(GLOB page_scripts CONFIGURE_DEPENDS view/page/*.js)
list(FILTER page_scripts EXCLUDE REGEX "/main\\.js$")
list(SORT page_scripts)
brushwork_page(view ${PROJECT_SOURCE_DIR}/view/page/page.html ${PROJECT_SOURCE_DIR}/view/page/page.css
  ${page_scripts} ${PROJECT_SOURCE_DIR}/view/page/main.js)
brushwork_page(report ${PROJECT_SOURCE_DIR}/report/page/report.css)
