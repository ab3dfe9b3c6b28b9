// plumb-mcp resources: those of a server and the templates of more, one a line; or what one of them holds.

import type { Json } from '@plumb/lang'
import type { Verb } from './inspect.js'
import { toOurs } from './to-ours.js'

export const resources: Verb = async ({ asked, connection, write, report }) => {
  const [uri] = asked.words
  if (uri === undefined) {
    const listed = await connection.resources()
    if (!listed.ok) return report(listed.error)
    const templates = await connection.resourceTemplates()
    if (!templates.ok) return report(templates.error)
    for (const resource of [...listed.value, ...templates.value]) write(JSON.stringify(toOurs(resource)))
    return
  }
  const read = await connection.read(uri)
  if (!read.ok) return report(read.error)
  const { contents } = read.value as { readonly contents?: Json }
  for (const part of Array.isArray(contents) ? contents : []) write(JSON.stringify(toOurs(part)))
}
