// A certificate of localhost and 127.0.0.1 that is signed by itself alone, made anew for each test (RFC 5280, in DER).

import { generateKeyPairSync, sign } from 'node:crypto'

export interface SelfSigned {
  /** PEM. */
  readonly key: string
  readonly cert: string
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const time = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`))

const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'))
const SUBJECT_ALT_NAME = hex('0603551d11')
/** CN=localhost. */
const NAME = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from('localhost')))))
const DAY_MS = 86_400_000

export const selfSigned = (): SelfSigned => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const body = sequence(
    der(0xa0, hex('020102')),
    hex('02012a'),
    ECDSA_WITH_SHA256,
    NAME,
    sequence(time(new Date(now - DAY_MS)), time(new Date(now + DAY_MS))),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  )
  const cert = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)))
  const lines = cert.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
