// The identity of the server, for clients of all revisions.

import { version } from '../../package.json'
import type { ServerContext } from './server-context.js'

export const SERVER_INFO = { name: 'plumb-mcp', title: 'plumb', version }

export const capabilitiesOf = ({ files }: ServerContext) => ({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  ...(files ? { resources: { subscribe: true } } : {}),
})

export const INSTRUCTIONS =
  'Tools are typed programs. check and call take a spec in the plumb language; the other tools, and agents as {input}, are those of the specs ' +
  'and prompts that this server was started with.'
