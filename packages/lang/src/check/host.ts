// Hosts in a sandbox's list and in requests: domain names or addresses, with a port.

export interface Host {
  /** In lower case, without a trailing dot; an IPv6 address in brackets. */
  readonly host: string
  readonly isAddress: boolean
  /** Undefined: not given. */
  readonly port: number | undefined
}

export interface HostPattern extends Host {
  /** All names below `host`, at any depth, but not `host` itself. */
  readonly isBelow: boolean
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const MAX_NAME = 253
const PORT = /^[1-9][0-9]{0,4}$/
const MAX_PORT = 65_535
/** For a pattern without a port. */
const WEB_PORTS = [443, 80]

/** Undefined: invalid, or not in its usual form, such as 127.1. */
export const readHost = (text: string): Host | undefined => {
  const [whole, name = '', portText] = /^(\[[^[\]]*\]|[^:[\]]*)(?::(.*))?$/s.exec(text) ?? []
  if (whole === undefined || (portText !== undefined && !PORT.test(portText))) return undefined
  const port = portText === undefined ? undefined : Number(portText)
  if (port !== undefined && port > MAX_PORT) return undefined
  const address = readAddress(name)
  if (address !== undefined) return { host: address, isAddress: true, port }
  const host = readName(name)
  return host === undefined ? undefined : { host, isAddress: false, port }
}

/** The parsed host, or, in words, why it is invalid. */
export const readHostPattern = (text: string): HostPattern | string => {
  if (text === '*') return "all hosts are 'net: true'"
  if (text.includes('/')) return 'of a URL write the host alone, as in "api.example.com"'
  if (!isAscii(text)) return 'write a name with other letters as the net has it, "xn--…"'
  const isBelow = text.startsWith('*.')
  const host = readHost(isBelow ? text.slice(2) : text)
  if (!host) return 'it is not a host name, nor one with a port from 1 to 65535'
  if (isBelow && (host.isAddress || !host.host.includes('.')))
    return 'after \'*.\' comes a domain of at least two names, as in "*.example.com"'
  return { ...host, isBelow }
}

export const isHostOf = ({ host, isBelow, port }: HostPattern, asked: Host): boolean =>
  (isBelow ? !asked.isAddress && asked.host.endsWith(`.${host}`) : asked.host === host) &&
  (port === undefined ? WEB_PORTS.includes(asked.port ?? 0) : asked.port === port)

// Lower-casing maps some other characters to ASCII, so they are checked before.
const isAscii = (text: string): boolean => /^[\x21-\x7e]*$/.test(text)

const readName = (text: string): string | undefined => {
  if (!isAscii(text)) return undefined
  const name = text.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  // A resolver takes a name that ends in a number for an address.
  const isNumber = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  return name.length <= MAX_NAME && !isNumber && labels.every((label) => LABEL.test(label)) ? name : undefined
}

const readAddress = (text: string): string | undefined => {
  if (!/^(?:[0-9]+(?:\.[0-9]+){3}|\[[0-9a-f:.]*\])$/i.test(text) || !URL.canParse(`http://${text}`)) return undefined
  const { hostname } = new URL(`http://${text}`)
  return text.startsWith('[') || hostname === text ? hostname : undefined
}
