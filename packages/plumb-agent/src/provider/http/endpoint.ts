// Hosts to which a key may be sent (plumb-agent(1), Providers): the provider's own, loopback, and those that the user has named.

import { type Account, type Fault, fault, preview } from '@plumb/wire'

export interface EndpointWords {
  /** From the spec. */
  readonly spec: unknown
  /** PLUMB_ENDPOINT. */
  readonly environment: string | undefined
  /** HOST or HOST:PORT, as --allow-host has them. */
  readonly allowedHosts: readonly string[]
}

/** The provider's own address, undefined if that is not known, and further hosts of it. */
export interface OwnHost {
  readonly name: string
  readonly endpoint: string | undefined
  readonly hosts?: RegExp | undefined
}

export const readEndpoint = (own: OwnHost, { spec, environment, allowedHosts }: EndpointWords): URL | Fault => {
  const isFromSpec = typeof spec === 'string' && spec !== ''
  const text = isFromSpec ? spec : environment || (own.endpoint ?? '')
  const where = isFromSpec ? "'endpoint'" : environment ? 'PLUMB_ENDPOINT' : `the address of provider '${own.name}'`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const shown = preview(url ? `${url.protocol}//${url.host}${url.pathname}` : text)
  if (!url || !/^https?:$/.test(url.protocol))
    return invalid(`${where} is not a URL of a server: '${shown}'; write https://host or https://host/path`)
  if (url.username !== '' || url.password !== '')
    return invalid(`${where} holds a name or password for '${url.host}'; keys come from the environment`)
  if (url.search !== '' || url.hash !== '') return invalid(`${where} has more than a path: '${shown}'; leave out what follows ? or #`)

  const isNamed = text === environment || [...namesOf(environment), ...allowedHosts].some((name) => isHost(url, name))
  if (isLoopback(url.hostname) || isNamed) return url
  const home = own.endpoint === undefined ? undefined : new URL(own.endpoint).hostname
  const isOwn = url.hostname === home || url.hostname.endsWith(`.${home}`) || own.hosts?.test(url.hostname) === true
  if (!isOwn)
    return invalid(
      `'endpoint' is '${shown}', and a key is sent to ${home ?? `hosts of provider '${own.name}'`}, to loopback and to ` +
        `hosts you name: add --allow-host ${preview(url.host)}, or set PLUMB_ENDPOINT`,
    )
  return url.protocol === 'https:' ? url : invalid(`${where} is '${shown}', and a key is sent over https only`)
}

const invalid = (detail: string): Fault => fault('config_invalid', detail)

const namesOf = (environment: string | undefined): string[] => {
  const url = environment !== undefined && URL.canParse(environment) ? new URL(environment) : undefined
  return url ? [`${url.hostname}:${portOf(url)}`] : []
}

/** A name without a port matches every port. */
const isHost = (url: URL, name: string): boolean => {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(name.trim().toLowerCase()) ?? []
  return host === url.hostname && (port === undefined || port === portOf(url))
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** It is the API's own provider, not a compatible server. */
export const isProviderItself = ({ name, speaks, endpoint: own }: Account, endpoint: URL): boolean =>
  name === speaks && endpoint.hostname === new URL(own).hostname

/** By the name as URL normalises it: numbers in other forms are dotted ones there. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^\[(::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]$/.test(hostname)
