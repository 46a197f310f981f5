# cmake -D LIST=FILE -D NAME=NAME -D HEADER=HEADER -D OUT=FILE -P CodeHash.cmake: writes a source with a
# hash of the sources whose paths are the lines of LIST, in the constant NAME, which HEADER declares.
file(STRINGS ${LIST} sources)
set(hashes)
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nconst char ${NAME}[] = \"${hash}\";\n")
