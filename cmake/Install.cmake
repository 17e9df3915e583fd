# Libraries, header, program, documents, inco.pc and the CMake package, in the places of GNUInstallDirs. inco.pc and the CMake
# package find the rest relative to themselves, so that the installed tree may be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/inco)

install(FILES include/inco/inco.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/inco)
set(targets_file_inco_shared incoTargets.cmake)
set(targets_file_inco_archive incoStaticTargets.cmake)
foreach(library ${libraries})
  install(TARGETS ${library} EXPORT ${library})
  install(EXPORT ${library} FILE ${targets_file_${library}} NAMESPACE inco:: DESTINATION ${package_dir})
endforeach()
install(TARGETS inco)

# The documents, with the links between them: `include` is a link to the installed header.
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md TYPE DOC)
install(DIRECTORY docs examples TYPE DOC
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "examples/*.c" PATTERN man EXCLUDE)
install(FILES bindings/python/examples/tour.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/bindings/python/examples)
install(FILES bindings/octave/examples/ksvdbox.m DESTINATION ${CMAKE_INSTALL_DOCDIR}/bindings/octave/examples)
file(RELATIVE_PATH include_from_doc ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" include_from_doc ${include_from_doc})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/documents)
file(CREATE_LINK ${include_from_doc} ${PROJECT_BINARY_DIR}/documents/include SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/documents/include TYPE DOC)

configure_package_config_file(cmake/incoConfig.cmake.in incoConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(incoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/incoConfig.cmake ${PROJECT_BINARY_DIR}/incoConfigVersion.cmake
        DESTINATION ${package_dir})

# For the static library inco.pc lists its direct dependencies: in Libs.private, or in Libs if it is the only library.
# Requires.private would also list indirect ones, some of which their development packages do not install.
file(RELATIVE_PATH inco_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" inco_prefix_from_pc ${inco_prefix_from_pc})
list(REMOVE_DUPLICATES inco_link_flags)
list(JOIN inco_link_flags " " inco_link_flags)
set(inco_private_flags ${inco_link_flags})
if(NOT TARGET inco_shared)
  set(inco_flags " ${inco_link_flags}")
  set(inco_private_flags)
endif()
configure_file(cmake/inco.pc.in inco.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/inco.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The library and the program for clusters. inco_mpi.pc has the flags of this MPI; the CMake package looks for MPI itself.
set(targets_file_inco_mpi_shared incoMpiTargets.cmake)
set(targets_file_inco_mpi_archive incoMpiStaticTargets.cmake)
foreach(library ${mpi_libraries})
  install(TARGETS ${library} EXPORT ${library})
  install(EXPORT ${library} FILE ${targets_file_${library}} NAMESPACE inco:: DESTINATION ${package_dir})
endforeach()
if(TARGET inco-mpi)
  install(FILES include/inco/inco_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/inco)
  install(TARGETS inco-mpi)
  list(JOIN MPI_C_LIBRARIES " " mpi_flags)
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND " -I" OUTPUT_VARIABLE mpi_includes)
  list(JOIN mpi_includes "" mpi_includes)
  string(PREPEND mpi_flags " ")
  configure_file(cmake/inco_mpi.pc.in inco_mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/inco_mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
