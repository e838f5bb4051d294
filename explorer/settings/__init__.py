"""Every parameter: its widget, its parser, its limits and its place in the URL."""
