# SPDX-License-Identifier: Apache-2.0
# Writes the Chinese sentences of reports as rows of a C++ table, report_words.inc. They come from
# the translations of the window, so that each sentence is translated once.
set(translations ${CMAKE_SOURCE_DIR}/resources/translations/strata_zh_CN.ts)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${translations})
file(READ ${translations} table)
# Lists must not be divided at the semicolons of entities
string(REPLACE ";" "<semicolon>" table "${table}")
string(REPLACE "<context>" ";" contexts "${table}")
set(rows "")
foreach(context ${contexts})
  if(NOT context MATCHES "<name>(report|run list|evaluation)</name>")
    continue()
  endif()
  set(name "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "<source>[^<]*(<semicolon>[^<]*)*</source>[^<]*<translation>[^<]*(<semicolon>[^<]*)*</translation>"
    messages "${context}")
  foreach(message ${messages})
    string(REGEX REPLACE
      "<source>(.*)</source>[^<]*<translation>(.*)</translation>"
      "    {\"${name}\", \"\\1\", \"\\2\"},\n" row "${message}")
    string(REPLACE "&quot<semicolon>" "\\\"" row "${row}")
    string(REPLACE "&apos<semicolon>" "'" row "${row}")
    string(REPLACE "&lt<semicolon>" "<" row "${row}")
    string(REPLACE "&gt<semicolon>" ">" row "${row}")
    string(REPLACE "&amp<semicolon>" "&" row "${row}")
    string(REPLACE "<semicolon>" ";" row "${row}")
    string(APPEND rows "${row}")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/report_words.inc CONTENT "${rows}" @ONLY)
set_source_files_properties(report/words.cpp PROPERTIES
  OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/report_words.inc
  INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR}
  SKIP_UNITY_BUILD_INCLUSION ON)
