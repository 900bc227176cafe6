// Folders where Xylem looks for what was fetched.
#pragma once

#include <string>

namespace xylem {

// What scripts/setup.sh fills (.deps of the checkout this program was built in).
std::string setup_folder();
// $XDG_DATA_HOME/xylem, else ~/.local/share/xylem.
std::string data_folder();

}  // namespace xylem
