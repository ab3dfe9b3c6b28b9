// Hosts as a sandbox lists them and as a program asks for them: names of the domain name system, or addresses, with a port.

export interface Host {
  /** In small letters, without a dot at its end; an IPv6 address in brackets. */
  readonly host: string
  readonly isAddress: boolean
  /** Undefined: none was written. */
  readonly port: number | undefined
}

export interface HostPattern extends Host {
  /** All names below `host`, at any depth, and not `host` itself. */
  readonly isBelow: boolean
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const MAX_NAME = 253
const PORT = /^[1-9][0-9]{0,4}$/
const MAX_PORT = 65_535
/** Of a pattern without one. */
const WEB_PORTS = [443, 80]

/** Undefined where it is none, or not as it is usually written, such as 127.1. */
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

/** What it is, or, in words, why it is none. */
export const readHostPattern = (text: string): HostPattern | string => {
  if (text === '*') return "all hosts are 'net: true'"
  if (text.includes('/')) return 'of a URL write the host alone, as in "api.example.com"'
  if (!isAscii(text)) return 'write a name with other letters as the net has it, "xn--…"'
  const isBelow = text.startsWith('*.')
  const host = readHost(isBelow ? text.slice(2) : text)
  if (!host) return 'it is no host name, nor one with a port from 1 to 65535'
  if (isBelow && (host.isAddress || !host.host.includes('.')))
    return 'after \'*.\' stands a domain of at least two names, as in "*.example.com"'
  return { ...host, isBelow }
}

export const isHostOf = ({ host, isBelow, port }: HostPattern, asked: Host): boolean =>
  (isBelow ? !asked.isAddress && asked.host.endsWith(`.${host}`) : asked.host === host) &&
  (port === undefined ? WEB_PORTS.includes(asked.port ?? 0) : asked.port === port)

// Small letters of some other characters are in ASCII, so that these are looked at before.
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
