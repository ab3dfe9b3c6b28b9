// resources/…: the files of an explicit docroot.

import { type Fault, fault } from '@plumb/wire'
import type { ResourceFiles } from '../resources/files.js'
import { templateOf } from '../resources/uri.js'
import { type Caller, type Client, type Method, textParam } from './method.js'
import { fromCursor, PAGE_SIZE, toCursor } from './page.js'
import { INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError, rpcError } from './rpc-error.js'

export const listResources: Method = async (client, { cursor }, { signal }) => {
  const { files, next } = await filesOf(client).list(fromCursor(cursor), PAGE_SIZE, signal)
  return { resources: files, ...(next === undefined ? {} : { nextCursor: toCursor(next) }) }
}

export const resourceTemplates: Method = async (client) => {
  const { docroot } = filesOf(client)
  const description = 'A file below the docroot'
  return { resourceTemplates: [{ uriTemplate: templateOf(docroot), name: 'file', description }] }
}

export const readResource: Method = async (client, params) => {
  const uri = textParam(params, 'uri')
  const read = await filesOf(client).read(uri)
  if (!read.ok) throw notFound(uri, read.error, client.isStateless ? INVALID_PARAMS : RESOURCE_NOT_FOUND)
  return { contents: [read.value] }
}

export const subscribe: Method<Client> = async (client, params) => {
  const uri = textParam(params, 'uri')
  const path = filesOf(client).locate(uri)
  if (!path.ok) throw notFound(uri, path.error, RESOURCE_NOT_FOUND)
  if (!client.subscriptions.add(uri, path.value)) throw new RpcError(INVALID_PARAMS, 'this client watches as many resources as it may')
  return {}
}

export const unsubscribe: Method<Client> = async (client, params) => {
  client.subscriptions.remove(textParam(params, 'uri'))
  return {}
}

const notFound = (uri: string, error: Fault, code: number): RpcError => rpcError(code, { ...error, uri })

const filesOf = ({ context }: Caller): ResourceFiles => {
  if (context.files) return context.files
  throw rpcError(METHOD_NOT_FOUND, fault('no_such_file', 'this server has no resources: it was started without --docroot'))
}
