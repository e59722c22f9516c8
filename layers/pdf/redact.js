// mutool run redact.js <source> <target> <terms.json>: removes every place of a page where a term stands,
// the letters as well as the pixels below them, and prints how many there were on each page.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/correctness/noInnerDeclarations: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

var source = new PDFDocument(scriptArgs[0])
var terms = JSON.parse(read(scriptArgs[2]))
var blackBoxes = true
var blackenPixels = 2
// A search ends at 500 places; a second one finds the others.
var maxRounds = 50

function mark(page) {
  var places = 0
  terms.forEach(function (term) {
    page.search(term).forEach(function (quads) {
      page.createAnnotation('Redact').setQuadPoints(quads)
      places++
    })
  })
  return places
}

for (var number = 0; number < source.countPages(); number++) {
  var total = 0
  for (var round = 0; round < maxRounds; round++) {
    var page = source.loadPage(number)
    var places = mark(page)
    if (places === 0) break
    page.applyRedactions(blackBoxes, blackenPixels)
    total += places
  }
  print(total)
}
source.save(scriptArgs[1], 'garbage=3,compress')
