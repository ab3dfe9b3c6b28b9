// The parts of the SDK that an agent on stdio needs.

export { agent, RequestError } from '@agentclientprotocol/sdk'
