# Libraries for Windows, of which Debian has zlib; scripts/windows_libraries builds the others. All are
# parts of the programs, which need no file beside them but those of Windows.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Loops run on threads of their own there (common/parallel/region_windows.c).
add_library(brushwork_openmp INTERFACE)

# <target> <header> <library>...
function(brushwork_static target header)
  string(MAKE_C_IDENTIFIER "${target}_${header}" name)
  find_path(${name}_INCLUDE ${header} REQUIRED)
  target_include_directories(${target} SYSTEM INTERFACE ${${name}_INCLUDE})
  foreach(library ${ARGN})
    find_library(${target}_${library} NAMES lib${library}.a REQUIRED)
    target_link_libraries(${target} INTERFACE ${${target}_${library}})
  endforeach()
endfunction()

# stb_ds: growable arrays and hash maps.
add_library(brushwork_arrays INTERFACE)
brushwork_static(brushwork_arrays stb/stb_ds.h)

option(BRUSHWORK_RAY_LIBRARY "Link Embree; without, the programs make no light" ON)
add_library(brushwork_embree INTERFACE)
if(BRUSHWORK_RAY_LIBRARY)
  # Its parts need each other, and the library of C++.
  target_link_libraries(brushwork_embree INTERFACE -Wl,--start-group)
  brushwork_static(brushwork_embree embree3/rtcore.h
    embree3 embree_avx2 embree_avx tasking lexers math simd sys)
  target_link_libraries(brushwork_embree INTERFACE -Wl,--end-group stdc++)
  target_compile_definitions(brushwork_embree INTERFACE BRUSHWORK_EMBREE=3)
else()
  include(cmake/NoRayLibrary.cmake)
endif()

add_library(brushwork_json INTERFACE)
brushwork_static(brushwork_json jansson.h jansson)

# minizip for the directories of zip archives, liblzma for LZMA, libbz2 for downloads, zlib for deflate.
add_library(brushwork_compression INTERFACE)
target_compile_definitions(brushwork_compression INTERFACE LZMA_API_STATIC)
brushwork_static(brushwork_compression unzip.h minizip)
brushwork_static(brushwork_compression lzma.h lzma)
brushwork_static(brushwork_compression bzlib.h bz2)
brushwork_static(brushwork_compression zlib.h z)
