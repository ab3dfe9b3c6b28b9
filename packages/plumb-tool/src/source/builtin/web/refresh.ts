// Where a page sends its reader on to by itself.

export interface Refresh {
  readonly url: string
  readonly seconds: number
  /** It is meant for readers without JavaScript. */
  readonly isWithoutProgram: boolean
}

/** `5; url=next.html`, as in the element or in a header of the reply. */
export const readRefresh = (content: string, base: string, url = base): Pick<Refresh, 'url' | 'seconds'> | undefined => {
  const [, seconds, quote = '', rest = ''] = /^\s*(\d{1,9})?(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(["']?)(.*)$/is.exec(content) ?? []
  const address = (quote === '' ? rest : (rest.split(quote)[0] ?? '')).trim()
  if (address === '' || !URL.canParse(address, base)) return undefined
  const { protocol, href } = new URL(address, base)
  const isElsewhere = href.split('#')[0] !== url.split('#')[0]
  return isElsewhere && /^https?:$/.test(protocol) ? { url: href, seconds: Number(seconds ?? 0) } : undefined
}

export const sayRefresh = ({ url, seconds }: Refresh): string =>
  `[The page leads on to ${url}${seconds === 0 ? '' : `, after ${seconds} s`}.]`
