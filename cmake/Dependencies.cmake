# Libraries from the distribution. Nothing is fetched.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# Loops run on OpenMP, and its flags are for the one source file that has its pragmas. It runs on
# LLVM's runtime, with gcc too: a program can tell that one at run time not to wait spinning.
find_package(OpenMP REQUIRED COMPONENTS C)
separate_arguments(openmp_flags NATIVE_COMMAND "${OpenMP_C_FLAGS}")
file(GLOB llvm_folders ${CMAKE_SYSROOT}/usr/lib/llvm-*/lib)
list(SORT llvm_folders COMPARE NATURAL ORDER DESCENDING)
find_library(OPENMP_LLVM_LIBRARY NAMES omp libomp HINTS ${llvm_folders} REQUIRED
  DOC "LLVM's OpenMP runtime (package libomp-dev)")
add_library(brushwork_openmp INTERFACE)
target_link_libraries(brushwork_openmp INTERFACE ${OPENMP_LLVM_LIBRARY})

# stb_ds: growable arrays and hash maps.
find_path(STB_INCLUDE_DIR stb/stb_ds.h REQUIRED)
add_library(brushwork_arrays INTERFACE)
target_include_directories(brushwork_arrays SYSTEM INTERFACE ${STB_INCLUDE_DIR})

# Embree 4 where the distribution has it, else 3.
find_package(embree 4 QUIET)
if(embree_FOUND)
  set(embree_major 4)
else()
  find_package(embree 3 REQUIRED)
  set(embree_major 3)
endif()
add_library(brushwork_embree INTERFACE)
target_link_libraries(brushwork_embree INTERFACE embree)
target_compile_definitions(brushwork_embree INTERFACE BRUSHWORK_EMBREE=${embree_major})

pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
add_library(brushwork_json INTERFACE)
target_link_libraries(brushwork_json INTERFACE PkgConfig::JANSSON)

# zlib for deflate, minizip for the directories of zip archives, liblzma for LZMA, libbz2 for downloads.
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(MINIZIP REQUIRED IMPORTED_TARGET minizip)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
find_package(BZip2 REQUIRED)
add_library(brushwork_compression INTERFACE)
target_link_libraries(brushwork_compression INTERFACE
  PkgConfig::MINIZIP PkgConfig::LZMA PkgConfig::ZLIB BZip2::BZip2)

# For runs of several processes: optional, since a module alone depends on it (modules/mpi).
pkg_check_modules(MPI IMPORTED_TARGET ompi-c)

# For a cache on a server: optional, as above (modules/http).
pkg_check_modules(CURL IMPORTED_TARGET libcurl>=7.85)

# For served pages: optional, as above (modules/serve).
pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.75)
