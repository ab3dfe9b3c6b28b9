// The built-in tools that a server offers.

import { STANDARD_LIBRARY, toolsOf } from '@plumb/lang'
import { builtinProgram, findBuiltin, openRegistry } from '@plumb/tool/internal'
import { diskFiles, type Result, succeed } from '@plumb/wire'
import { fromRegistered } from './from-registry.js'
import type { ServedTool } from './served-tool.js'
import type { Sessions } from './sessions.js'

/** Those that the grant allows. */
export const DEFAULT_BUILTINS = ['read_file', 'read_directory', 'webpage_to_markdown', 'meta_refine', 'apply_patch']

/** Each under the name that was requested, which may be an alias. */
export const toolsOfBuiltins = (names: readonly string[], sessions: Sessions): Result<readonly ServedTool[]> => {
  const { registry } = openRegistry(toolsOf(builtinProgram()))
  const session = sessions.of(diskFiles([], STANDARD_LIBRARY))
  const tools: ServedTool[] = []
  for (const name of new Set(names)) {
    const found = findBuiltin(name)
    if (!found.ok) return found
    const registered = registry.get(found.value.name)
    if (registered) tools.push({ ...fromRegistered(registered, session), name })
  }
  return succeed(tools)
}
