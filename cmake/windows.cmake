# Windows on x86-64, by Debian's mingw-w64 with POSIX threads. BRUSHWORK_WINDOWS_LIBRARIES is the folder of
# the libraries that Debian does not have for it: scripts/windows_libraries.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BRUSHWORK_WINDOWS_LIBRARIES)

set(BRUSHWORK_WINDOWS_LIBRARIES ${CMAKE_CURRENT_LIST_DIR}/../build/windows-libraries CACHE PATH
  "Folder of the libraries of Windows")
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${BRUSHWORK_WINDOWS_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Programs that the build runs, and its tests.
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
