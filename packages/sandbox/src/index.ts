// What the programs of tools, agents and MCP servers may reach.
//
//   path           files below a directory, which no link and no `..` leaves; what no tool may read or write
//   plan           what a program may see and write: by its spec, by what this machine has, and by the files of the run
//   seccomp        calls of the system that it may not make
//   net            the hosts that it may reach, by a proxy outside of it
//   run            bubblewrap's command line of all that, the program in it, its stderr and its end
//   self-test      tries to get out, for `plumb-tool sandbox`
//
// A call reads a plan (`readSandbox`), and starts the program by it (`spawnSandboxed`).

export { hostPolicy } from './net/host-policy.js'
export { fixedLookup, publicAddresses, type ResolveHost, resolveBySystem } from './net/public-addresses.js'
export { type ExpectedFile, type FileStamp, fileChanged, fileStamp, isUnchanged } from './path/file-stamp.js'
export { findLinkStat, findRealPath, findStat, followLinks, isWithin, listEntries, realPath, toRealPath } from './path/look-up.js'
export { isImageType, mediaTypeOf } from './path/media-type.js'
export { closeQuietly, type Directory, openDirectory, openFile, readSmallFile, removeDirectories } from './path/open.js'
export { whySecret } from './path/protected-paths.js'
export { type DirectoryEntry, readEntries, shownName } from './path/read-entries.js'
export { readWhole } from './path/read-whole.js'
export { isSameFile, removeFile, removeIfUnchanged, replaceFile } from './path/replace-file.js'
export {
  absolutePath,
  asDirectory,
  childPath,
  type Purpose,
  pathDenied,
  type ResolvedPath,
  type Roots,
  resolvePath,
  systemFault,
  whyKeptFromReaders,
  whyTogetherForbidden,
} from './path/resolved-path.js'
export { sizedReader } from './path/sized-reader.js'
export { guardName, hasOwnerExited, OWNER, removeLeftover, temporaryName } from './path/temporary-files.js'
export { foldName } from './path/trusted-names.js'
export { unseenNotes, walkFiles } from './path/walk-files.js'
export { type WriteOptions, writeFileAtomically, writeNewFile } from './path/write-file-atomically.js'
export { probeBubblewrap } from './plan/probe.js'
export { readSandbox, type Sandbox, type SandboxAtStart, whyNoSandbox } from './plan/sandbox.js'
export { isDataName, isScriptName } from './plan/spec-scripts.js'
export type { KeptPaths } from './plan/write-plan.js'
export { buildSandboxCommand, type SandboxCommand, type SandboxedProgram } from './run/bubblewrap-command.js'
export {
  addMissingAccess,
  closeWithChild,
  EX_TEMPFAIL,
  GRACE_MS,
  type SandboxedChild,
  spawnSandboxed,
  stopWhenAborted,
  withGitGuard,
} from './run/spawn-sandboxed.js'
export { parseReported, readStderr, type StderrTail } from './run/stderr-tail.js'
export { tryEscapes } from './self-test/try-escapes.js'
