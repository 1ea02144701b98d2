// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace contraflow {
namespace {

cl::opt<bool> UseActivity("contraflow-activity", cl::init(true), cl::Hidden,
                          cl::desc("Contraflow: decide which values are active"));
cl::opt<bool> UseMinCut("contraflow-mincut", cl::init(true), cl::Hidden,
                        cl::desc("Contraflow: choose by minimum cut what is stored"));
cl::opt<bool> UseSharing("contraflow-sharing", cl::init(true), cl::Hidden,
                         cl::desc("Contraflow: prove shared updates exclusive"));
cl::opt<bool> Deterministic("contraflow-deterministic", cl::init(false),
                            cl::desc("Contraflow: threads add to adjoints in a fixed order: the "
                                     "same bits for the same number of threads"));
cl::opt<bool> CheckPromises("contraflow-check-promises", cl::init(false),
                            cl::desc("Contraflow: check in the program what contraflow::disjoint "
                                     "promises"));
cl::opt<unsigned>
    PieceSize("contraflow-piece-size", cl::init(2000), cl::Hidden,
              cl::desc("Contraflow: instructions in one piece of a large derivative"));

cl::opt<unsigned> OtherCode("contraflow-other-code", cl::init(0), cl::Hidden,
                            cl::desc("Contraflow: instructions, beside those of this module, that "
                                     "are differentiated; with much code less is inlined"));

cl::opt<bool> Fault("contraflow-fault", cl::ReallyHidden,
                    cl::desc("Contraflow: behave as after a fault of the plugin"));

cl::opt<bool> PrintTypes("contraflow-print-types", cl::Hidden,
                         cl::desc("Contraflow: print what memory holds"));
cl::opt<bool> PrintActivity("contraflow-print-activity", cl::Hidden,
                            cl::desc("Contraflow: print what is active"));
cl::opt<bool> PrintNeeds("contraflow-print-needs", cl::Hidden,
                         cl::desc("Contraflow: print what the reverse sweep asks for"));
cl::opt<bool> PrintPlan("contraflow-print-plan", cl::Hidden,
                        cl::desc("Contraflow: print what is kept, recomputed and stored"));
cl::opt<bool> PrintSharing("contraflow-print-sharing", cl::Hidden,
                           cl::desc("Contraflow: print which updates are atomic, and why"));

cl::opt<bool> InactiveGlobals("enzyme-globals-default-inactive", cl::Hidden,
                              cl::desc("Contraflow: global variables have no derivative"));

cl::opt<bool> RuntimeActivity("enzyme-runtime-activity", cl::Hidden,
                              cl::desc("Contraflow: every derivative call is one with "
                                       "enzyme_runtime_activity"));

/// Takes any value, or none, and does nothing.
struct AcceptedOption : cl::opt<std::string> {
  explicit AcceptedOption(const char *Name)
      : cl::opt<std::string>(cl::Hidden, cl::ValueOptional,
                             cl::desc("Contraflow: accepted, without effect")) {
    setArgStr(Name);
  }
};

AcceptedOption Accepted[] = {
#define CF_ACCEPTED_OPTION(Name) AcceptedOption(Name),
#include "Options.def"
};

} // namespace

Switches chosenSwitches() {
  Switches S{UseActivity,   UseMinCut, UseSharing, Deterministic,
             CheckPromises, PieceSize, Fault,      {}};
  S.Print = {PrintTypes, PrintActivity, PrintNeeds, PrintPlan, PrintSharing};
  return S;
}

unsigned otherCode() { return OtherCode; }

bool globalsAreInactive() { return InactiveGlobals; }

bool checksShadows() { return RuntimeActivity; }

} // namespace contraflow
