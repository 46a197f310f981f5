# Compiler flags every target shares.
add_library(brushwork_flags INTERFACE)
target_compile_options(brushwork_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Wstrict-prototypes -Wvla
  # Results must not depend on whether the compiler fuses multiply and add.
  -ffp-contract=off
  # Nobody looks at errno or at floating-point exceptions: loops with roots can be vectorised.
  -fno-math-errno -fno-trapping-math)
target_compile_definitions(brushwork_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(BRUSHWORK_WERROR)
  target_compile_options(brushwork_flags INTERFACE -Werror)
endif()
if(BRUSHWORK_SANITIZE)
  target_compile_options(brushwork_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(brushwork_flags INTERFACE -fsanitize=address,undefined)
endif()
if(BRUSHWORK_FUZZ)
  target_compile_options(brushwork_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(BRUSHWORK_COVERAGE)
  target_compile_options(brushwork_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(brushwork_flags INTERFACE -fprofile-instr-generate)
endif()
