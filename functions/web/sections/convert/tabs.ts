/** Other tabs of this browser show the same files. */
const tabs = new BroadcastChannel('mutabor jobs')
export const tellOthers = () => tabs.postMessage('changed')
export const onOtherTab = (act: () => void) => tabs.addEventListener('message', act)
