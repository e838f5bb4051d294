"""What the labs measure: torch only, no Streamlit, no Plotly, no language."""
