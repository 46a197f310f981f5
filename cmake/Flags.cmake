# Compiler flags every target shares.
add_library(brushwork_flags INTERFACE)
target_compile_options(brushwork_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Wstrict-prototypes -Wvla
  # Results must not depend on whether the compiler fuses multiply and add.
  -ffp-contract=off
  # Nobody looks at errno or at floating-point exceptions: loops with roots can be vectorised.
  -fno-math-errno -fno-trapping-math)
target_compile_definitions(brushwork_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(WIN32)
  # printf, scanf and strtod as in C17; offsets of files of 64 bits; what Windows 10 has.
  target_compile_definitions(brushwork_flags INTERFACE
    __USE_MINGW_ANSI_STDIO=1 _FILE_OFFSET_BITS=64 _WIN32_WINNT=0x0A00)
  target_include_directories(brushwork_flags INTERFACE ${PROJECT_SOURCE_DIR}/cmake/windows)
  # GCC takes these formats for those of Windows' own printf; the other systems check them.
  target_compile_options(brushwork_flags INTERFACE -Wno-format -Wno-format-extra-args)
  # GCC puts vectors of 32 and 64 bytes at any address of the stack there, and reads them as if they were
  # aligned.
  target_compile_options(brushwork_flags INTERFACE -Wa,-muse-unaligned-vector-move)
  # Stacks are as large as common/core/stack.h says; the same sources give the same file.
  target_link_options(brushwork_flags INTERFACE -static -Wl,--stack,8388608 -Wl,--no-insert-timestamp)
endif()
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
