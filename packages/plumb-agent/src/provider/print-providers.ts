// Prints the list of --providers.

import { ACCOUNTS } from '@plumb/wire'

/** A line for each account: its name, its endpoint and the variable of its key, or `-`. */
export const printProviders = (): string => {
  const widthOf = (key: 'name' | 'endpoint') => Math.max(...ACCOUNTS.map((account) => account[key].length))
  const [names, endpoints] = [widthOf('name'), widthOf('endpoint')]
  return ACCOUNTS.map(
    ({ name, endpoint, keyVariable = '-' }) => `${name.padEnd(names)}  ${endpoint.padEnd(endpoints)}  ${keyVariable}\n`,
  ).join('')
}
