/** Argument of workers that send their spans to the service. */
export const sendSpansFlag = '--send-spans'
