// A client of plumb-mcp over HTTP.

/** Runs one client from its handshake to its last call. Resolves to the wrong answers. */
export const runClient = async (url, client, calls) => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  const post = async (message) => {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
    const text = await response.text()
    const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text
    return { response, message: data === '' ? undefined : JSON.parse(data) }
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'load', version: '1' } }
  const { response } = await post({ id: 0, method: 'initialize', params })
  headers['mcp-session-id'] = response.headers.get('mcp-session-id')
  await post({ method: 'notifications/initialized' })
  const wrong = []
  for (let i = 1; i <= calls; i++) {
    const n = client * calls + i
    const { message } = await post({ id: i, method: 'tools/call', params: { name: 'inc', arguments: { n } } })
    if (message?.id !== i || !JSON.stringify(message.result?.content).includes(String(n + 1))) wrong.push(JSON.stringify(message))
  }
  await fetch(url, { method: 'DELETE', headers })
  return wrong
}
