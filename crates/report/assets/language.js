// uPlot asks for number formats in the reader's language, which some systems name wrongly.
try { new Intl.NumberFormat(navigator.language); } catch { Object.defineProperty(navigator, "language", { value: "en" }); }
