// Prints the list of --providers.

import { ACCOUNTS } from '@plumb/wire'

/** A line for each account: its name, its endpoint, and the variable or the command of its key, or `-`. */
export const printProviders = (): string => {
  const rows = ACCOUNTS.map(({ name, endpoint, keyVariable, keyCommand }) => ({
    name,
    endpoint,
    key: keyVariable ?? keyCommand?.join(' ') ?? '-',
  }))
  const widthOf = (key: 'name' | 'endpoint') =>
    Math.max(...rows.filter((row) => row[key].length <= MAX_WIDTH).map((row) => row[key].length))
  const [names, endpoints] = [widthOf('name'), widthOf('endpoint')]
  return rows.map(({ name, endpoint, key }) => `${name.padEnd(names)}  ${endpoint.padEnd(endpoints)}  ${key}\n`).join('')
}

const MAX_WIDTH = 60
