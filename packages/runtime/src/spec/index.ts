// From a file, the command line or a parent to a checked program (`loadSpec`), the binding that is meant, and what is missing to run it.

export { type LoadedSpec, loadSpec, readNamed, refuseErrors, reportDiagnostics } from './load.js'
export { findMissing } from './missing.js'
export { selectBinding } from './select-binding.js'
export { findSkillProblems } from './skills.js'
