# What is installed, under any prefix, which can be moved afterwards:
#
#   bin/                     the programs
#   lib/libverify-layout.so  the library; include/ and lib/cmake/ are for those who compile against it
#   lib/verify-layout/       the libraries that not every Linux has (Z3, isl, GMP, fmt, …), found by the run path
#   share/                   man pages and completions
#
# The run path is a DT_RUNPATH, so LD_LIBRARY_PATH can name other libraries first. It does not hold for the libraries
# that these libraries need: so each of them is one that the program itself needs (GMP, which isl needs), and a test of
# the packages (tests/packages) runs them where nothing else is. Where it replaces a run path at installation, CMake ends that of the build tree with ':', and the loader takes an
# empty entry for the current folder: a library there would be loaded. So both trees have one path if Z3 lies where
# ./dev puts it, beside the build folder; nothing lies at that place beside what is installed.
# Components: `runtime` is what runs (the wheel has no other), `development` the rest.
include(CMakePackageConfigHelpers)
set(vl_private lib/verify-layout)
set(vl_programs verify-layout verify-layout-cert verify-layout-cert-relations)
set(vl_beside "")
cmake_path(GET CMAKE_BINARY_DIR PARENT_PATH vl_builds)
if(vl_z3_root STREQUAL "${vl_builds}/z3")
  set(vl_beside ":$ORIGIN/../z3/lib")
  set_target_properties(${vl_programs} vl_shared PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endif()

foreach(target IN LISTS vl_programs)
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../${vl_private}${vl_beside}")
  install(TARGETS ${target} RUNTIME DESTINATION bin COMPONENT runtime)
endforeach()
target_link_options(vl_shared PRIVATE LINKER:--enable-new-dtags)
set_target_properties(vl_shared PROPERTIES INSTALL_RPATH "$ORIGIN/verify-layout${vl_beside}"
                                           EXPORT_NAME verify-layout)
target_include_directories(vl_shared INTERFACE $<INSTALL_INTERFACE:include>)
install(TARGETS vl_shared EXPORT vl_targets
        LIBRARY DESTINATION lib COMPONENT runtime
        PUBLIC_HEADER DESTINATION include COMPONENT development)

# find_package(verify-layout) gives the target verify-layout::verify-layout.
install(EXPORT vl_targets FILE verify-layout-config.cmake NAMESPACE verify-layout::
        DESTINATION lib/cmake/verify-layout COMPONENT development)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/verify-layout-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/verify-layout-config-version.cmake"
        DESTINATION lib/cmake/verify-layout COMPONENT development)

# Each needed library is copied under the name by which it is looked up; wheels have no links.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES
       EXECUTABLES \"$<TARGET_FILE:verify-layout>\" \"$<TARGET_FILE:verify-layout-cert>\"
       LIBRARIES \"$<TARGET_FILE:vl_shared>\"
       RESOLVED_DEPENDENCIES_VAR needed
       PRE_EXCLUDE_REGEXES \"^(libc|libm|libdl|librt|libpthread|libstdc[+][+]|libgcc_s|ld-linux[^.]*)[.]so\")
  foreach(library IN LISTS needed)
    cmake_path(GET library FILENAME name)
    file(REAL_PATH \"\${library}\" real)
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${vl_private}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(COPY_FILE \"\${real}\" \"\${folder}/\${name}\" ONLY_IF_DIFFERENT)
    message(STATUS \"Installing: \${folder}/\${name}\")
  endforeach()
" COMPONENT runtime)

# Man pages and completions are what the program itself says.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  file(MAKE_DIRECTORY \"\${share}/man/man1\" \"\${share}/bash-completion/completions\"
       \"\${share}/zsh/site-functions\" \"\${share}/fish/vendor_completions.d\")
  function(said file)
    execute_process(COMMAND \"$<TARGET_FILE:verify-layout>\" \${ARGN} OUTPUT_FILE \"\${share}/\${file}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  said(bash-completion/completions/verify-layout completion bash)
  said(zsh/site-functions/_verify-layout completion zsh)
  said(fish/vendor_completions.d/verify-layout.fish completion fish)
  said(man/man1/verify-layout.1 man)
  execute_process(COMMAND \"$<TARGET_FILE:verify-layout>\" completion commands OUTPUT_VARIABLE commands
                  COMMAND_ERROR_IS_FATAL ANY)
  foreach(command IN LISTS commands)
    said(man/man1/verify-layout-\${command}.1 man \${command})
  endforeach()
" COMPONENT documentation)

# ./dev package: a tarball and a Debian package of the same files.
set(CPACK_PACKAGE_NAME verify-layout)
set(CPACK_PACKAGE_VENDOR "verify-layout")
set(CPACK_PACKAGE_CONTACT "the maintainers of verify-layout")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Proves or refutes tensor layouts, and runs them on data")
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME "verify-layout-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1 (>= 3.0)")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)
