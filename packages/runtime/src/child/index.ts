// A process of a graph. plan says how it is started, spawn starts it, and child writes to it and reads from it: answers are joined with what
// was asked by the numbers of the inputs, failures become faults of them. child-monitor tells of both; tool-service answers its calls.

export { openBoxes } from './agent-sandboxes.js'
export { LET_GO_FD, type SpawnSettings } from './agent-start.js'
export { AuthoritySource } from './authority-source.js'
export { openInProcessChild } from './in-process-child.js'
export { type Spawned, spawnAll } from './spawn.js'
export type { ToolService } from './tool-service.js'
