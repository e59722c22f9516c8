/** The WebSocket API, of which there is one when a function has routes in it. */
export const webSocketApi = {
  /** Where clients find it: all that an owner has. */
  paths: ['/ws/user/jobs', '/v1/ws/user/jobs'],
  /** What stands before the id of a job whose socket it is. */
  jobPath: '/v1/ws/jobs/',
  routeSelectionExpression: '$request.body.action',
} as const
