// Loads the functions of an agent that runs alone, whose calls another process makes.

import { resolve } from 'node:path'
import type { ToolPlan } from '@plumb/lang'
import type { SourceFiles } from '@plumb/wire'
import { makeSession } from '../../host.js'
import { type LoadedFunctions, loadFunctions } from './load-functions.js'

export const loadFunctionsAlone = async (plans: readonly ToolPlan[], files: SourceFiles, docroot = '.'): Promise<LoadedFunctions> => {
  const session = makeSession({ docroot: resolve(docroot), files })
  const loaded = await loadFunctions(plans, session)
  await session.servers.close()
  return loaded
}
