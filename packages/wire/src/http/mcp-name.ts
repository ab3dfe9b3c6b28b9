// What the header Mcp-Name repeats of a request (MCP 2026-07-28): the client writes it, and the server holds it against the body.

/** The member of `params`, by method. A method that is not here has no such header. */
export const MCP_NAME_FIELDS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}
