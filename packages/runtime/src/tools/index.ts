// The tools of a run: the dispatcher that answers agents, tools that are called by maps, and what they may do.

export { openToolServices, servesTools } from './dispatch.js'
export { mapsTools, openMappedTools } from './mapped-tools.js'
export { openAuthoritySource } from './permissions.js'
export { openToolSession } from './session.js'
