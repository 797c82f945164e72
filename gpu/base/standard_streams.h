// SPDX-License-Identifier: Apache-2.0
// Gives a program that was started without standard streams (as by a daemon, or with >&-) something
// in their place. Otherwise the first files that it opens get the numbers 0 to 2, and its messages
// go into these files.
// Thread: call it first in main, before other threads start.
#pragma once

namespace strata {

/// Opens /dev/null for each of the descriptors 0 to 2 that is closed. Ends the program if this is
/// impossible.
void openMissingStreams();

}  // namespace strata
