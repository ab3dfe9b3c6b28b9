// Of the SDK what an agent on stdio needs.

export { agent, RequestError } from '@agentclientprotocol/sdk'
