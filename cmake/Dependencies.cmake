# Libraries that inco uses. Sets
#   inco_dependencies   libraries to link
#   inco_modules        those of them that pkg-config knows, for incoConfig.cmake
#   inco_link_flags     the same as flags, for inco.pc
#   inco_features       a definition INCO_HAVE_... for each optional library found
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(inco_dependencies Threads::Threads m)
set(inco_modules)
set(inco_link_flags -pthread -lm)
set(inco_features)

# Adds a library by pkg-config; `found`: whether there is one.
function(inco_use_module module found)
  pkg_check_modules(inco_${module} IMPORTED_TARGET ${module})
  if(inco_${module}_FOUND)
    set(inco_dependencies PkgConfig::inco_${module} ${inco_dependencies} PARENT_SCOPE)
    set(inco_modules ${inco_modules} ${module} PARENT_SCOPE)
    set(inco_link_flags ${inco_${module}_LDFLAGS} ${inco_link_flags} PARENT_SCOPE)
  endif()
  set(${found} ${inco_${module}_FOUND} PARENT_SCOPE)
endfunction()

# Random123 has headers only.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123/philox.h was not found. Debian: librandom123-dev. "
                      "Elsewhere: -DRANDOM123_INCLUDE_DIR=/path/to/include")
endif()

# xxHash: its header alone, which also holds the code.
find_path(XXHASH_INCLUDE_DIR xxhash.h)
if(NOT XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "xxhash.h was not found. Debian: libxxhash-dev. Elsewhere: -DXXHASH_INCLUDE_DIR=/path/to/include")
endif()

# OpenBLAS, or any other BLAS that comes with cblas.h.
option(WITH_OPENBLAS "Use OpenBLAS; OFF: the BLAS that find_package(BLAS) finds" ON)
set(openblas_found FALSE)
if(WITH_OPENBLAS)
  inco_use_module(openblas openblas_found)
endif()
if(NOT openblas_found)
  find_package(BLAS)
  find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES cblas openblas)
  if(NOT BLAS_FOUND OR NOT CBLAS_INCLUDE_DIR)
    message(FATAL_ERROR "No BLAS with a cblas.h was found. Debian: libopenblas-dev")
  endif()
  list(PREPEND inco_dependencies BLAS::BLAS)
  list(PREPEND inco_link_flags ${BLAS_LIBRARIES})
  set(inco_cblas_include ${CBLAS_INCLUDE_DIR})
endif()

inco_use_module(lapacke lapacke_found)
if(NOT lapacke_found)
  find_library(LAPACKE_LIBRARY NAMES lapacke openblas)
  find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
  if(NOT LAPACKE_LIBRARY OR NOT LAPACKE_INCLUDE_DIR)
    message(FATAL_ERROR "LAPACKE was not found. Debian: liblapacke-dev")
  endif()
  list(PREPEND inco_dependencies ${LAPACKE_LIBRARY})
  list(PREPEND inco_link_flags ${LAPACKE_LIBRARY})
  set(inco_lapacke_include ${LAPACKE_INCLUDE_DIR})
endif()

# Each optional library gives one feature; without it the build continues, and the program reports the missing feature.
function(inco_optional feature module package)
  string(TOUPPER ${feature} upper)
  option(WITH_${upper} "Use ${module} (Debian: ${package})" ON)
  if(NOT WITH_${upper})
    return()
  endif()
  inco_use_module(${module} found)
  if(found)
    set(inco_dependencies ${inco_dependencies} PARENT_SCOPE)
    set(inco_modules ${inco_modules} PARENT_SCOPE)
    set(inco_link_flags ${inco_link_flags} PARENT_SCOPE)
    set(inco_features ${inco_features} INCO_HAVE_${upper} PARENT_SCOPE)
  else()
    message(STATUS "Built without ${feature}: ${module} was not found. Debian: ${package}")
  endif()
endfunction()
inco_optional(npz libzip libzip-dev)
inco_optional(audio sndfile libsndfile1-dev)
inco_optional(resample samplerate libsamplerate0-dev)
inco_optional(png libpng libpng-dev)
inco_optional(mat matio libmatio-dev)
inco_optional(json jansson libjansson-dev)
if("INCO_HAVE_MAT" IN_LIST inco_features) # matio needs zlib too
  inco_use_module(zlib zlib_found)
  if(NOT zlib_found)
    message(FATAL_ERROR "zlib, which matio uses, was not found. Debian: zlib1g-dev. Without .mat files: -DWITH_MAT=OFF")
  endif()
endif()
