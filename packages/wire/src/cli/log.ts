// The debug log: JSON Lines on stderr with PIPELINE_DEBUG=1, else nothing.

/** One event with its fields; `name` is what happened, such as `api_request`. */
export type Log = (name: string, fields?: Readonly<Record<string, unknown>>) => void

export const isDebugging = (): boolean => process.env.PIPELINE_DEBUG === '1'

/** `write` takes a line without its end and must remove keys from it, as `Reporter.write` does. */
export const openLog = async (program: string, write: (line: string) => void): Promise<Log> => {
  if (!isDebugging()) return () => {}
  const { pino } = await import('pino')
  const options = { level: 'debug', base: { program, pid: process.pid }, timestamp: () => `,"time":"${new Date().toISOString()}"` }
  const logger = pino(options, { write: (line: string) => write(line.trimEnd()) })
  return (name, fields = {}) => logger.debug(fields, name)
}
