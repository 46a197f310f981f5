# Pages that are generated: the lists of diagnostics, limits and options, the manual pages, and the completions of
# shells.
add_executable(diagnostics_table docs/diagnostics_table.c)
target_link_libraries(diagnostics_table PRIVATE common)
add_executable(limits_table docs/limits_table.c)
target_link_libraries(limits_table PRIVATE common)

# ninja docs: writes docs/diagnostics.md, docs/limits.md and docs/options.
add_custom_target(docs
  COMMAND diagnostics_table > ${PROJECT_SOURCE_DIR}/docs/diagnostics.md
  COMMAND limits_table > ${PROJECT_SOURCE_DIR}/docs/limits.md
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/options_pages ${CMAKE_BINARY_DIR}/bin
    ${PROJECT_SOURCE_DIR}/docs/options
  DEPENDS vbsp vvis vrad brushwork q3map2
  VERBATIM)

# One page a program and one a verb; each prints its own.
set(man_pages)
function(brushwork_man_page page target)
  set(file ${CMAKE_BINARY_DIR}/man/${page}.1)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/man
    COMMAND ${target} ${ARGN} --man > ${file}
    DEPENDS ${target} VERBATIM)
  set(man_pages ${man_pages} ${file} PARENT_SCOPE)
endfunction()

foreach(stage vbsp vvis vrad q3map2)
  brushwork_man_page(${stage} ${stage})
endforeach()
brushwork_man_page(brushwork brushwork)
foreach(verb ${BRUSHWORK_VERBS})
  brushwork_man_page(brushwork-${verb} brushwork ${verb})
endforeach()
add_custom_target(man ALL DEPENDS ${man_pages})

# Completions of shells, from the same tables.
set(completions ${CMAKE_BINARY_DIR}/completions)
file(GLOB completion_makers CONFIGURE_DEPENDS scripts/completion/*)
add_custom_command(OUTPUT ${completions}/zsh/_brushwork
  COMMAND scripts/completions ${CMAKE_BINARY_DIR}/bin ${completions}
  DEPENDS vbsp vvis vrad brushwork q3map2 scripts/completions ${completion_makers}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
add_custom_target(completions ALL DEPENDS ${completions}/zsh/_brushwork)
