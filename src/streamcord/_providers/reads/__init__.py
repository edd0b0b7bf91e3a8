"""What makes a network read cheap: words found without reading JSON, and one timer for all reads."""
