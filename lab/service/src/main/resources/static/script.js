document.documentElement.dataset.script = "loaded";
