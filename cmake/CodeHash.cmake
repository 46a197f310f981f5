# cmake -D LIST=FILE -D OUT=FILE -P CodeHash.cmake: writes a source with the hash of the sources whose
# paths are the lines of LIST.
file(STRINGS ${LIST} sources)
set(hashes)
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
file(WRITE ${OUT} "#include \"common/cli/version.h\"\n\nconst char program_code[] = \"${hash}\";\n")
