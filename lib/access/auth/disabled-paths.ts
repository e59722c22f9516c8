/**
 * Endpoints of better-auth that the service has no use for: codes by email or SMS, deletion by a link, tokens of
 * sign-in providers, and changes of session fields.
 */
export const disabledAuthPaths = [
  ...['/two-factor/send-otp', '/two-factor/verify-otp', '/delete-user/callback'],
  ...['/get-access-token', '/refresh-token', '/account-info', '/update-session'],
]
