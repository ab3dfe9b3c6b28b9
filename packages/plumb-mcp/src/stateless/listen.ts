// subscriptions/listen: the notifications that a client wants, until it or the server ends them.

import { isRecord } from '@plumb/wire'
import { openSubscriptions } from '../resources/subscriptions.js'
import type { Params, RequestContext } from '../server/method.js'
import { INVALID_PARAMS, REFUSED, RpcError } from '../server/rpc-error.js'
import type { ServerContext } from '../server/server-context.js'
import { SUBSCRIPTION_KEY } from './envelope.js'
import { lacksTasks, type ServerTasks } from './tasks.js'

/** Maximum for all clients together. */
const MAX_LISTENERS = 1000

export interface Listeners {
  /** Resolves to the answer once the server ends it, or to undefined if the client has. */
  listen(params: Params, request: ListenRequest): Promise<object | undefined>
  /** Ends all in good order. */
  close(): void
}

interface ListenRequest extends Pick<RequestContext, 'signal' | 'requestId' | 'sendNotification'> {
  /** Of tasks, where the client knows them. */
  readonly watch: ServerTasks['watch'] | undefined
}

export const openListeners = ({ changes, files }: ServerContext): Listeners => {
  const open = new Set<() => void>()
  return {
    listen: ({ notifications }, { signal, requestId, sendNotification, watch }) => {
      if (!isRecord(notifications)) throw new RpcError(INVALID_PARAMS, "'notifications' takes an object")
      if (open.size >= MAX_LISTENERS) throw new RpcError(REFUSED, 'there are as many listeners as this server takes')
      const _meta = { [SUBSCRIPTION_KEY]: requestId }
      // A client that is gone has ended it.
      const send = (method: string, params = {}): void => void sendNotification({ method, params: { ...params, _meta } }).catch(() => {})
      const { toolsListChanged, promptsListChanged, resourceSubscriptions, taskIds } = notifications
      if (taskIds !== undefined && !watch) throw lacksTasks()
      const tools = toolsListChanged === true
      const prompts = promptsListChanged === true
      const uris = files ? textsIn(resourceSubscriptions) : []
      const updates = openSubscriptions((uri) => send('notifications/resources/updated', { uri }))
      const watched = uris.filter((uri) => {
        const path = files?.locate(uri)
        return path?.ok && updates.add(uri, path.value)
      })
      const tasks = watch?.(textsIn(taskIds), async ({ method, params }) => send(method, params))
      send('notifications/subscriptions/acknowledged', {
        notifications: {
          ...(tools ? { toolsListChanged } : {}),
          ...(prompts ? { promptsListChanged } : {}),
          ...(watched.length > 0 ? { resourceSubscriptions: watched } : {}),
          ...(tasks && tasks.ids.length > 0 ? { taskIds: tasks.ids } : {}),
        },
      })
      const changed = (): void => {
        if (tools) send('notifications/tools/list_changed')
        if (prompts) send('notifications/prompts/list_changed')
      }
      const walked = (): void => {
        if (tools) send('notifications/tools/list_changed')
      }
      changes.on('change', changed)
      changes.on('walked', walked)
      return new Promise((resolve) => {
        const end = (isByServer: boolean): void => {
          changes.off('change', changed)
          changes.off('walked', walked)
          updates.close()
          tasks?.end()
          open.delete(close)
          signal.removeEventListener('abort', leave)
          resolve(isByServer ? { _meta } : undefined)
        }
        const close = (): void => end(true)
        const leave = (): void => end(false)
        open.add(close)
        signal.addEventListener('abort', leave, { once: true })
        if (signal.aborted) leave()
      })
    },
    close: () => {
      for (const end of [...open]) end()
    },
  }
}

const textsIn = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [])
