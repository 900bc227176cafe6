// Models by name: a small list of what the set-up fetches.
#pragma once

#include <string>
#include <vector>

namespace xylem::models {

struct CatalogueEntry {
  std::string name;         // "smollm2"
  std::string file;         // inside a models folder
  std::string description;  // for people
};

const std::vector<CatalogueEntry>& catalogue();

// The path that MODEL means: itself when it is a file or folder, else the file of the catalogue
// entry with this name in $XYLEM_MODELS, the set-up's folder or $XDG_DATA_HOME/xylem/models. The
// Error lists the names and says how to fetch one.
std::string resolve_model(const std::string& model);

}  // namespace xylem::models
