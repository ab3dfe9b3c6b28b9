// What a child reports as settled, and the outputs and errors that it counts, which come on other descriptors: before it, behind it, or never.

import t from 'tap'
import { InFlightTracker } from '../src/child/in-flight.js'
import { SettledReports } from '../src/engine/settled-reports.js'
import { Origin } from '../src/graph/origin.js'

const settled = (inputs: number, outputs: number, errors?: number) =>
  ({ kind: 'settled', inputs, controls: 0, outputs, ...(errors === undefined ? {} : { errors }) }) as const

t.test('messages of a part are done with when the outputs and errors of a report have come', async (t) => {
  const reports = new SettledReports()
  t.equal(reports.take(), undefined)
  reports.report(settled(1, 1))
  t.equal(reports.take(), undefined)
  reports.receiveOutput()
  t.equal(reports.take(), 1)
  t.equal(reports.take(), undefined, 'once')
  reports.report(settled(2, 1, 1))
  reports.report(settled(3, 2, 1))
  reports.report(settled(5, 2, 3))
  reports.receiveOutput()
  t.equal(reports.take(), undefined, 'the error that both count is still to be read')
  reports.receiveError()
  t.equal(reports.take(), 3, 'the last of them')
  reports.receiveError()
  t.equal(reports.take(), undefined)
  reports.receiveError()
  t.equal(reports.take(), 5)
})

const openTracker = (isHandled: boolean) => {
  const lost: number[] = []
  const isOver: number[] = []
  const tracker = new InFlightTracker({
    ...{ kind: 'plumb', answers: undefined, isUnordered: false, needsOrigins: false },
    lost: ({ seq }) => void lost.push(seq),
  })
  if (isHandled) tracker.expectErrors()
  for (const seq of [1, 2, 3]) {
    const origin = Origin.ofInput({ port: '', line: 0, seq }, () => void isOver.push(seq))
    tracker.send(origin)
    origin.release()
  }
  return { tracker, lost, isOver }
}

t.test('what a child has settled counts with the errors of the report, where they are handled', async (t) => {
  const { tracker, lost, isOver } = openTracker(true)
  tracker.settle(settled(1, 0, 1))
  tracker.settle(settled(2, 0, 1))
  tracker.settle(settled(3, 0, 2))
  t.strictSame([tracker.inFlight, lost, isOver], [3, [], []])
  tracker.receiveError()
  t.strictSame([tracker.inFlight, lost, isOver], [1, [1, 2], [1, 2]])
  tracker.receiveError()
  t.strictSame([tracker.inFlight, lost, isOver], [0, [1, 2, 3], [1, 2, 3]])
})

t.test('at its end what it counted too much is no longer waited for', async (t) => {
  const { tracker, isOver } = openTracker(true)
  tracker.settle(settled(2, 0, 7))
  tracker.receiveError()
  t.strictSame([tracker.inFlight, isOver], [3, []])
  tracker.endErrors()
  t.strictSame([tracker.inFlight, isOver], [1, [1, 2]])
  tracker.settle(settled(3, 0, 9))
  t.strictSame([tracker.inFlight, isOver], [0, [1, 2, 3]])
})

t.test('where nothing handles them they are not waited for, and of a flood of reports not all are kept', async (t) => {
  const one = openTracker(false)
  one.tracker.settle(settled(3, 0, 1))
  t.strictSame([one.tracker.inFlight, one.isOver], [0, [1, 2, 3]])

  const flooded = openTracker(true)
  for (let i = 0; i < 2000; i++) flooded.tracker.settle(settled(1, 0, i + 1))
  t.strictSame([flooded.tracker.inFlight, flooded.isOver], [2, [1]])
})
